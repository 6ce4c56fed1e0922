export { Cards } from './Cards';
