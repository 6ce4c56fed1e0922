/** The worker threads that work on whole histories, in one bundle: they share most of their code. dist/ has a file for
 *  each that starts it. */
export const start = {
  backupWorker: () => import('./backup/backupWorker'),
  importWorker: () => import('./import/importWorker'),
  checkWorker: () => import('./check/checkWorker'),
  exportWorker: () => import('./export/exportWorker'),
  foreignWorker: () => import('../store/library/foreignWorker'),
};
