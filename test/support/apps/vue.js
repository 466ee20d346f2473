import { createApp, h, onMounted, ref } from 'vue';
import { articles } from './articles.js';

createApp({
  setup() {
    const tons = ref(null);
    onMounted(async () => {
      tons.value = (await (await fetch('/data.json')).json()).tons;
    });
    return () =>
      h('main', [
        h('h1', 'Built with Vue'),
        ...articles.map(({ title, text }) => h('article', [h('h2', title), h('p', text)])),
        h('p', { class: 'tons' }, tons.value === null ? '…' : `Tons: ${tons.value}`),
      ]);
  },
}).mount('#app');
