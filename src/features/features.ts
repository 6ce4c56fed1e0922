import type { Feature } from '../host/window/windowContext';
import * as api from './api';
import * as codeActions from './codeActions';
import * as hindsight from './hindsight';

/** The optional features of the product. Removing a line removes the feature. */
export const features: readonly Feature[] = [codeActions, api, hindsight];
