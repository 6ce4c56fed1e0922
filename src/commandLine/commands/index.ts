import type { Command } from '../command';

/** The commands, in the order of the help text. */
export const commands: readonly Command[] = [];
