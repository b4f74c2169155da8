import { Link, useLocation } from 'wouter';
import { PAGES } from '../../pages';
import sheet from '../../theme/sheet.module.css';
import styles from './not-found.module.css';

export default function NotFoundPage() {
  const [path] = useLocation();
  return (
    <div className={styles['page']}>
      <section className={sheet['panel']} aria-labelledby="not-found">
        <h1 id="not-found">Page not found</h1>
        <p>
          There is no page at <code>{path.slice(0, PATH_SHOWN)}</code>. Check the address, or search for a symbol or an event id above.
        </p>
        <p>
          <Link href={PAGES.live.pattern}>Live markets</Link> · <Link href={PAGES.home.pattern}>Start page</Link> ·{' '}
          <a href="/docs">Documentation</a>
        </p>
      </section>
    </div>
  );
}

/** Maximum length of the address quoted on the page. */
const PATH_SHOWN = 64;
