import { LazyComponents } from '../connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyCards = new LazyComponents<typeof code>();
