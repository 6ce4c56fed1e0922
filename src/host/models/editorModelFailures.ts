import * as vscode from 'vscode';
import { errorMessage } from '../../base/errorMessage';
import type { Failure, ModelFailureCause } from '../../transcript/stopReason';

/** Describes an error of an editor model. `LanguageModelError` has three codes. Any other error comes raw from the
 *  model's provider, and there is no code for a rate limit. */
export function editorModelFailure(error: unknown, label: string, delivered: boolean): Failure {
  const { cause, happened, next } = describe(error, label);
  const safe = delivered ? 'Everything shown is saved.' : 'Your prompt is saved.';
  return { cause, sentence: `${happened} ${safe} ${next}`, technical: technical(error) };
}

/** Failure for a model that the editor no longer offers. */
export function editorModelGone(modelId: string): Failure {
  return {
    cause: 'notFound',
    sentence: `The editor does not offer the model ${modelId} now. Your prompt is kept. Sign in to its provider or choose another model.`,
    technical: `selectChatModels returned nothing for ${modelId}`,
  };
}

function describe(
  error: unknown,
  label: string,
): { readonly cause: ModelFailureCause; readonly happened: string; readonly next: string } {
  const code = error instanceof vscode.LanguageModelError ? error.code : null;
  if (code === vscode.LanguageModelError.NoPermissions.name) {
    return {
      cause: 'consent',
      happened: `The editor did not allow Hermes to use ${label}.`,
      next: 'Send again to get the question again, or allow it under Manage Language Model Access.',
    };
  }
  if (code === vscode.LanguageModelError.Blocked.name) {
    return {
      cause: 'quota',
      happened: `${label} is blocked. Its quota is used up, or the request was refused.`,
      next: 'Try later or choose another model.',
    };
  }
  if (code === vscode.LanguageModelError.NotFound.name) {
    return {
      cause: 'notFound',
      happened: `The editor does not offer ${label} any more.`,
      next: 'Choose another model.',
    };
  }
  return { cause: 'unknown', happened: `${label} failed: ${reason(error)}.`, next: 'Retry or choose another model.' };
}

function reason(error: unknown): string {
  const text = errorMessage(error).trim().replace(/\.+$/, '');
  return text === '' ? 'it gave no reason' : text.slice(0, 300);
}

function technical(error: unknown): string {
  if (error instanceof vscode.LanguageModelError) return `LanguageModelError ${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
