/** How much a client may have sent that the service has not read yet; who sends more is flooding it (decision D41). */

/** Messages of one connection that may wait. */
export const mostUnread = 1_024

/** The characters that they may have together; one message may always wait. */
export const mostUnreadChars = 8_388_608
