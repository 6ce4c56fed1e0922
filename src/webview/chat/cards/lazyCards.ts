import { LazyComponents } from '../connection/lazyComponents';

export const lazyCards = new LazyComponents<typeof import('./afterFirstPaint')>();
