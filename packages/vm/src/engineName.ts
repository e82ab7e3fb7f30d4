/** Which virtual machine this is, for those who continue a tape that another one has made. */

/**
 * It changes with everything that changes what a program does with the same tape: a replayed call that differs would be a defect. Runs
 * are continued between virtual machines of one name only.
 */
export const engineName = "sibyl-vm-1"
