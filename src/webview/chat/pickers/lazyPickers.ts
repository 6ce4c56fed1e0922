import { lazyComponents } from '../connection/lazyComponents';

export const lazyPickers = lazyComponents(() => import('./afterFirstPaint'));
