/** The worker threads that work on whole histories, in one bundle: they share most of their code. dist/ has a file for
 *  each that starts it. */
export const start = {
  backupWorker: () => import('./backup/core/backupWorker'),
  importWorker: () => import('./history/core/import/importWorker'),
  checkWorker: () => import('./history/core/check/checkWorker'),
  exportWorker: () => import('./history/core/export/exportWorker'),
  foreignWorker: () => import('../store/library/foreignWorker'),
};
