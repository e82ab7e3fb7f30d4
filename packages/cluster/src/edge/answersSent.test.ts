/** An executor that does not hear is told from one that asks early, or whose answer takes its time. */
import { expect, it } from "vitest"
import { AnswersSent } from "./answersSent.ts"
import { courseTimes } from "./courseTimes.ts"

/** What a question of each second is taken for, whose answers are sent at once. */
const askedEachSecond = (answers: AnswersSent, n: number, times: number) =>
  Array.from({ length: times }, (_, second) => {
    const asked = answers.asked("e.1", n, second * 1_000)
    answers.sent("e.1", n)
    return asked
  })

it("tells an executor that has not heard so many answers, for one question", () => {
  const { mostAnswers } = courseTimes
  const answered = Array.from({ length: mostAnswers }, () => "answer")
  expect(askedEachSecond(new AnswersSent(), 3, mostAnswers + 1)).toEqual([...answered, "unheard"])
  const answers = new AnswersSent()
  expect(askedEachSecond(answers, 3, mostAnswers)).toEqual(answered)
  expect(askedEachSecond(answers, 4, mostAnswers)).toEqual(answered)
})

it("does not work twice at one answer, however long it takes", () => {
  const answers = new AnswersSent()
  expect(answers.asked("e.1", 1, 0)).toBe("answer")
  for (let second = 1; second <= 30; second += 1) expect(answers.asked("e.1", 1, second * 1_000)).toBe("underWay")
  answers.sent("e.1", 1)
  expect(answers.asked("e.1", 1, 31_000)).toBe("answer")
})

it("takes what comes at once, after a connection was slow or away, for one question", () => {
  const answers = new AnswersSent()
  for (let at = 0; at < 100; at += 1) {
    expect(answers.asked("e.1", 1, 20_000 + at)).toBe("answer")
    answers.sent("e.1", 1)
  }
})

it("begins anew with another attempt, of which a late answer is none", () => {
  const answers = new AnswersSent()
  askedEachSecond(answers, 1, courseTimes.mostAnswers)
  expect(answers.asked("e.2", 1, 60_000)).toBe("answer")
  answers.sent("e.1", 1)
  expect(answers.asked("e.2", 1, 61_000)).toBe("underWay")
})
