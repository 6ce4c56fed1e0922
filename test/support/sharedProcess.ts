/** Set up for every test file that shares its process with others: what it leaves open ends with it. */
import { afterAll } from 'vitest';
import { endConnections } from './sqlite';

afterAll(endConnections);
