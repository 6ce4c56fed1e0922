import { LazyComponents } from '../connection/lazyComponents';
import type * as code from './afterFirstPaint';

export const lazyComposer = new LazyComponents<typeof code>();
