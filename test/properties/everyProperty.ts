/** All that `npm run properties` runs, in one module: each bundle has a copy of the store's file layer, and a process can load it only once. */
export { failingVersions } from './joinedVersions';
export { failingRows } from './oddRows';
export { failingSchedule, onWorker, simulated, violationsOf } from './schedules';
