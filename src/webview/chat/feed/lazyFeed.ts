import { LazyComponents } from '../connection/lazyComponents';

export const lazyFeed = new LazyComponents<typeof import('./afterFirstPaint')>();
