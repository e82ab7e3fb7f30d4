/** How often the questions of an attempt were answered: an executor that asks again and again does not hear the answers. No clock in here. */
import { courseTimes } from "./courseTimes.ts"

/** What is to be done about a question. */
export type Asked =
  | "answer"
  /** Its answer is worked on: there is nothing to send yet, and no reason to begin again. */
  | "underWay"
  /** So many answers were sent that none can be expected to arrive. */
  | "unheard"

interface Question {
  isWorkedOn: boolean
  /** Questions that were sent again while the first was on its way count as one. */
  times: number
  countedMs: number
}

/** The answers to the attempts of one run. */
export class AnswersSent {
  private attempt = ""
  private readonly questions = new Map<number, Question>()

  /** A question has come. */
  asked(attempt: string, n: number, nowMs: number): Asked {
    if (attempt !== this.attempt) {
      this.attempt = attempt
      this.questions.clear()
    }
    const question = this.questions.get(n)
    if (question === undefined) {
      this.questions.set(n, { isWorkedOn: true, times: 1, countedMs: nowMs })
      return "answer"
    }
    if (question.isWorkedOn) return "underWay"
    if (nowMs - question.countedMs >= courseTimes.askedAgainMs) {
      question.times += 1
      question.countedMs = nowMs
    }
    if (question.times > courseTimes.mostAnswers) return "unheard"
    question.isWorkedOn = true
    return "answer"
  }

  /** Its answer was sent. */
  sent(attempt: string, n: number): void {
    const question = attempt === this.attempt ? this.questions.get(n) : undefined
    if (question !== undefined) question.isWorkedOn = false
  }
}
