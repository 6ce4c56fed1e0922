import fc from '../../node_modules/fast-check/lib/fast-check.js';

/** fast-check, as every test imports it: with the same cases in each run, so that a change is judged by what it changed. The
 *  nightly runs look for new cases: `HERMES_SEED=random`, or a number to repeat one. */
const wanted = process.env['HERMES_SEED'] ?? '1';
const given = fc.readConfigureGlobal();
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted), ...given });

export * from '../../node_modules/fast-check/lib/fast-check.js';
export default fc;
