import { LazyComponents } from './connection/lazyComponents';

export const lazyPanel = new LazyComponents<typeof import('./panel')>();
