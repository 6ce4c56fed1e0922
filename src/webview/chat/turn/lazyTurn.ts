import { lazyComponents } from '../connection/lazyComponents';

export const lazyTurn = lazyComponents(() => import('./afterFirstPaint'));
