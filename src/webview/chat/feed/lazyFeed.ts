import { lazyComponents } from '../connection/lazyComponents';

export const lazyFeed = lazyComponents(() => import('./afterFirstPaint'));
