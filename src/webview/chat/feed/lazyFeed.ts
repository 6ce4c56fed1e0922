import { LazyComponents } from '../connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyFeed = new LazyComponents<typeof code>();
