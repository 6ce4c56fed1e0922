import { lazyComponents } from '../connection/lazyComponents';

export const lazyCards = lazyComponents(() => import('./afterFirstPaint'));
