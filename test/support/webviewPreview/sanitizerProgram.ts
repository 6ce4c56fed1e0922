/** Gives a test in the browser the sanitiser itself, without the renderer in front of it. */
import { sanitizedFragment, sanitizedFragments } from '../../../src/webview/markdown/sanitizer';

Object.assign(window, { sanitizedFragment, sanitizedFragments });
