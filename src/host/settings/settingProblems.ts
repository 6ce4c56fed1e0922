import { shownList, t } from '../../base/translate';

/** Builds the sentence about a setting whose value cannot be used. */
export type ProblemOf = (setting: string) => string;

export function notOneOf(values: readonly string[]): ProblemOf {
  return (setting) =>
    t('The setting `{setting}` is not one of {values}. The default is used until you fix it.', {
      setting,
      values: shownList(values),
    });
}

export function notAListOf(values: readonly string[]): ProblemOf {
  return (setting) =>
    t('The setting `{setting}` is not a list of {values}. The default is used until you fix it.', {
      setting,
      values: shownList(values),
    });
}

export function notANumber(min: number, max: number): ProblemOf {
  return (setting) =>
    t('The setting `{setting}` is not a number from {min} to {max}. The default is used until you fix it.', {
      setting,
      min,
      max,
    });
}

export function notAWholeNumber(min: number, max: number): ProblemOf {
  return (setting) =>
    t('The setting `{setting}` is not a whole number from {min} to {max}. The default is used until you fix it.', {
      setting,
      min,
      max,
    });
}

export function notABoolean(setting: string): string {
  return t('The setting `{setting}` is neither true nor false. The default is used until you fix it.', { setting });
}

export function notAModel(setting: string): string {
  return t('The setting `{setting}` is not written as Provider/model-id. The default is used until you fix it.', {
    setting,
  });
}

export function notAWebAddress(setting: string): string {
  return t(
    'The setting `{setting}` is not a web address that begins with http:// or https://. The default is used until you fix it.',
    { setting },
  );
}

export function notAPath(setting: string): string {
  return t('The setting `{setting}` is not an absolute path. The default is used until you fix it.', { setting });
}

export function inRepository(setting: string): string {
  return t(
    'The setting `{setting}` names a place in the open folder, which the repository can fill. The default is used until you fix it.',
    { setting },
  );
}

export function notAMemoryProvider(setting: string): string {
  return t('The setting `{setting}` is not the name of a memory provider. The default is used until you fix it.', {
    setting,
  });
}

export function notAMemoryBank(setting: string): string {
  return t('The setting `{setting}` is not the name of a memory bank. The default is used until you fix it.', {
    setting,
  });
}
