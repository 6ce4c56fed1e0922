/** For tests in which nobody touches the code of an answer: nothing happens, nothing is known. */
export const noCodeActions = { current: null };
