import { parentPort, workerData } from 'node:worker_threads';
import * as v from 'valibot';
import { readablePage } from './readablePage';

const { html, url } = v.parse(v.object({ html: v.string(), url: v.string() }), workerData);
parentPort?.postMessage(readablePage(html, url));
