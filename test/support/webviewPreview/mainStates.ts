/** The main states of the panel, which every language must have room for. */
export const mainStates: readonly string[] = [
  'empty-no-model',
  'empty-chosen',
  'complete',
  'approval-command',
  'approval-edit',
  'approval-plan',
  'work-rows',
  'work-files',
  'attach-chips',
  'queue',
  'failed',
  'demo',
  'store-failed',
];
