import type { Command } from '../command';
import { backup } from './backup';

/** The commands, in the order of the help text. */
export const commands: readonly Command[] = [backup];
