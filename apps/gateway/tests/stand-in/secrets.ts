/** Signs the quotes of every test gateway. */
export const QUOTE_SECRET = 'quotes-of-tests-are-signed-with-this';

/** Signs the download routes of every test gateway. */
export const LINK_SECRET = 'links-of-tests-are-signed-with-this!';
