import type { Feature } from '../host/window/windowContext';
import * as api from './api';
import * as backup from './backup';
import * as codeActions from './codeActions';
import * as hindsight from './hindsight';
import * as history from './history';

/** The optional features of the product. Removing a line removes the feature. */
export const features: readonly Feature[] = [history, backup, codeActions, hindsight, api];
