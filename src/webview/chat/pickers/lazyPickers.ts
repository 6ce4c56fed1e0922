import { LazyComponents } from '../connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyPickers = new LazyComponents<typeof code>();
