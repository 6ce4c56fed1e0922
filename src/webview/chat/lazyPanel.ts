import { LazyComponents } from './connection/lazyComponents';
import type * as code from './panel';

export const lazyPanel = new LazyComponents<typeof code>();
