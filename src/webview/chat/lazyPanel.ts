import { LazyComponents } from './connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyPanel = new LazyComponents<typeof code>();
