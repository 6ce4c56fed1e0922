import { LazyComponents } from '../connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyTurn = new LazyComponents<typeof code>();
