import './theme/base.css';
import { createRoot } from 'react-dom/client';
import { App } from './app';
import { adoptPalette } from './theme/theme';

adoptPalette();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
