import { sendHtml, type SitePage } from './page.ts';

/** Red, then blue, 0.2 s each, for ever. */
const gif =
  'data:image/gif;base64,R0lGODlhAQABAIAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQAFAAAACwAAAAAAQABAAACAkQBACH5BAAUAAAALAAAAAABAAEAAAICTAEAOw==';
/** A second of red and one of blue, 16 × 16, VP8. */
const webm = [
  'GkXfo59ChoEBQveBAULygQRC84EIQoKEd2VibUKHgQJChYECGFOAZwEAAAAAAAMBEU2bdLpNu4tTq4QVSalmU6yBoU27i1OrhBZU',
  'rmtTrIHWTbuMU6uEElTDZ1OsggEcTbuMU6uEHFO7a1OsggLZ7AEAAAAAAABZAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
  'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAVSalmsCrXsYMPQkBNgIxM',
  'YXZmNjEuMS4xMDBXQYxMYXZmNjEuMS4xMDBEiYhAn0AAAAAAABZUrmvBrgEAAAAAAAA414EBc8WIfFnkhUFFylicgQAitZyDdW5k',
  'iIEAhoVWX1ZQOIOBASPjg4QL68IA4ImwgRC6gRCagQISVMNn+nNzn2PAgGfImUWjh0VOQ09ERVJEh4xMYXZmNjEuMS4xMDBzc9Vj',
  'wItjxYh8WeSFQUXKWGfIoEWjh0VOQ09ERVJEh5NMYXZjNjEuMy4xMDAgbGlidnB4Z8ihRaOIRFVSQVRJT05Eh5MwMDowMDowMi4w',
  'MDAwMDAwMDAAH0O2dUE454EAo72BAACA8AIAnQEqEAAQAABHCIWFiIWEiAICAnWqA/gD+gINTRgA/v1u8//jmTcwxP+Obf/xYTwO',
  'KMj/8VEAo5WBAMgAsQEAARAQABgAGFgv9AAIAACjlYEBkACxAQABEBAAGAAYWC/0AAgAAKOVgQJYALEBAAEQEAAYABhYL/QACAAA',
  'o5WBAyAAsQEAARAQABgAGFgv9AAIAACjvIED6ICwAgCdASoQABAAAEcIhYWIhYSIAgICdaoD+AIM/SgA/v9NEv/8WFfxYV/FhX/x',
  'YV/8/M7txfzmAKOVgQSwALEBAAEQEAAYABhYL/QACAAAo5WBBXgAsQEAARAQABgAGFgv9AAIAACjlYEGQACxAQABEBAAGAAYWC/0',
  'AAgAAKOVgQcIALEBAAEQEAAYABhYL/QACAAAHFO7a6O7j7OBALeK94EB8YIBm/CBA7uQs4ID6LeK94EB8YIBm/CBng==',
].join('');

const spin =
  '@keyframes spin { to { transform: rotate(360deg) } } .spin { width: 90px; height: 40px; background: navy; animation: spin 1.3s linear infinite }';

/** Everything that can move on a page by itself. */
export const movingPages: Record<string, SitePage> = {
  '/moving': ({ response }) => {
    sendHtml(
      response,
      `<title>Moving</title><style>${spin}
      #reveal { margin-top: 900px; height: 100px; background: teal; opacity: 0; transition: opacity 4s }
      #reveal.seen { opacity: 1 }</style>
      <img src="${gif}" width="60" height="60"><div style="width:60px;height:60px;background:url(${gif})"></div>
      <video src="data:video/webm;base64,${webm}" autoplay muted loop width="60" height="60"></video>
      <div class="spin"></div><iframe srcdoc="<style>${spin}</style><div class=spin></div>"></iframe>
      <div id="host"></div><div id="slide" style="width:50px;height:20px;background:red"></div>
      <svg width="200" height="30"><rect width="30" height="30"><animate attributeName="x" from="0" to="150" dur="1.7s" repeatCount="indefinite" /></rect></svg>
      <marquee scrollamount="20">Runs from right to left</marquee>
      <input autofocus value="caret" style="font-size:40px"><div id="reveal"></div>
      <script>
      document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<style>${spin}</style><div class="spin"></div>';
      document.getElementById('slide').animate([{ transform: 'none' }, { transform: 'translateX(300px)' }], { duration: 1700, iterations: Infinity });
      const reveal = document.getElementById('reveal');
      new IntersectionObserver(([seen]) => { if (seen.isIntersecting) reveal.classList.add('seen'); }).observe(reveal);
      </script>`,
    );
  },
};
