import * as vscode from 'vscode';
import { errorMessage } from '../../base/errorMessage';
import { joinSentences } from '../../base/messageText';
import { t } from '../../base/translate';
import type { Failure, ModelFailureCause } from '../../transcript/stopReason';

/** Describes an error of an editor model. `LanguageModelError` has three codes. Any other error comes raw from the
 *  model's provider, and there is no code for a rate limit. */
export function editorModelFailure(error: unknown, label: string, delivered: boolean): Failure {
  const { cause, happened, next } = describe(error, label);
  const safe = delivered ? t('Everything shown is saved.') : t('Your prompt is saved.');
  return { cause, sentence: joinSentences([happened, safe, next]), technical: technical(error) };
}

/** Failure for a model that the editor no longer offers. */
export function editorModelGone(modelId: string): Failure {
  return {
    cause: 'notFound',
    sentence: t(
      'The editor does not offer the model {model} now. Your prompt is kept. Sign in to its provider or choose another model.',
      { model: modelId },
    ),
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
      happened: t('The editor did not allow Hermes to use {model}.', { model: label }),
      next: t('Send again to get the question again, or allow it under Manage Language Model Access.'),
    };
  }
  if (code === vscode.LanguageModelError.Blocked.name) {
    return {
      cause: 'quota',
      happened: t('{model} is blocked. Its quota is used up, or the request was refused.', { model: label }),
      next: t('Try again later, or choose another model.'),
    };
  }
  if (code === vscode.LanguageModelError.NotFound.name) {
    return {
      cause: 'notFound',
      happened: t('The editor no longer offers {model}.', { model: label }),
      next: t('Choose another model.'),
    };
  }
  return { cause: 'unknown', happened: failed(error, label), next: t('Retry, or choose another model.') };
}

function failed(error: unknown, model: string): string {
  const reason = errorMessage(error).trim().replace(/\.+$/, '').slice(0, 300);
  return reason === ''
    ? t('{model} failed and gave no reason.', { model })
    : t('{model} failed: {reason}.', { model, reason });
}

function technical(error: unknown): string {
  if (error instanceof vscode.LanguageModelError) return `LanguageModelError ${error.code}: ${error.message}`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
