import { createElement as h, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { articles } from './articles.js';

function App() {
  const [tons, setTons] = useState(null);
  useEffect(() => {
    fetch('/data.json')
      .then((answer) => answer.json())
      .then((data) => setTons(data.tons));
  }, []);
  return h(
    'main',
    null,
    h('h1', null, 'Built with React'),
    articles.map(({ title, text }) => h('article', { key: title }, h('h2', null, title), h('p', null, text))),
    h('p', { className: 'tons' }, tons === null ? '…' : `Tons: ${tons}`),
  );
}

createRoot(document.getElementById('root')).render(h(App));
