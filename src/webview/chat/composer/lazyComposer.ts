import { LazyComponents } from '../connection/lazyComponents';

export const lazyComposer = new LazyComponents<typeof import('./afterFirstPaint')>();
