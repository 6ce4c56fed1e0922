import { LazyComponents } from '../connection/lazyComponents';

export const lazyTurn = new LazyComponents<typeof import('./afterFirstPaint')>();
