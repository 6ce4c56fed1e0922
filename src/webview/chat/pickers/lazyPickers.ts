import { LazyComponents } from '../connection/lazyComponents';

export const lazyPickers = new LazyComponents<typeof import('./afterFirstPaint')>();
