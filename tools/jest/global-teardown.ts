export { end as default } from './global-setup';
