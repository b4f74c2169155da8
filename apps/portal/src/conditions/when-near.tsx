import { type ReactNode, useEffect, useRef, useState } from 'react';
import styles from './conditions.module.css';

/** How far below the screen its place may be, pixels. */
const MARGIN_PX = 300;

/** Shows its content once its place comes near the screen: until then nothing of it is loaded or asked for. */
export function WhenNear({ children }: { readonly children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null);
  const [isNear, setIsNear] = useState(false);
  useEffect(() => {
    const box = place.current;
    if (box === null || isNear) return undefined;
    const observer = new IntersectionObserver((seen) => setIsNear(seen.some(({ isIntersecting }) => isIntersecting)), {
      rootMargin: `${MARGIN_PX}px`,
    });
    observer.observe(box);
    return () => observer.disconnect();
  }, [isNear]);
  return isNear ? children : <div ref={place} className={styles['later']} />;
}
