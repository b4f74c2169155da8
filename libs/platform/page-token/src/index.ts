export { cutPage, pageTokenFaults, readToken, writeToken } from './page-token';
