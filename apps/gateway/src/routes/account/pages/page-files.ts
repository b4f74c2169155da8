import { type PageFile, toPageFile } from '../../../serving/pages/page-files';
import { BILLING_PAGE_SCRIPT } from './billing-script';
import { ACCOUNT_PAGE_SCRIPT } from './page-script';
import { ACCOUNT_PAGE_STYLE } from './page-style';

/** The script and the style of the account pages. */
export const ACCOUNT_PAGE_FILES: { readonly script: PageFile; readonly style: PageFile } = {
  script: toPageFile('account', 'js', 'text/javascript', Buffer.from(`${ACCOUNT_PAGE_SCRIPT}${BILLING_PAGE_SCRIPT}`)),
  style: toPageFile('account', 'css', 'text/css', Buffer.from(ACCOUNT_PAGE_STYLE)),
};
