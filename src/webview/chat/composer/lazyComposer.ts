import { lazyComponents } from '../connection/lazyComponents';

export const lazyComposer = lazyComponents(() => import('./afterFirstPaint'));
