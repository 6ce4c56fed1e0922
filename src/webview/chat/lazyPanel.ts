import { lazyComponents } from './connection/lazyComponents';

export const lazyPanel = lazyComponents(() => import('./afterFirstPaint'));
