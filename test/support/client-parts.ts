/**
 * What scripts bring to a page that has plenty of text already, one of a kind and its sibling: the first was looked at
 * while the rules of `render: auto` were found, the second was written before them and not looked at.
 */
export const clientParts: Record<string, [first: string, second: string]> = {
  Alpine: [
    '<div x-data="{ price: 12 }"><span x-text="price"></span></div><script src="/alpine.js" defer></script>',
    '<section x-data="catalogue()"><template x-for="item in items"><li x-text="item.name"></li></template></section><script defer src="/js/alpine.min.js"></script>',
  ],
  Ember: [
    '<div id="ember-app"></div><script src="/assets/vendor.js"></script><script src="/assets/app.js"></script>',
    '<div class="ember-view" id="app-container"></div><script src="/assets/vendor-5.js"></script><script src="/assets/shop-5.js"></script>',
  ],
  Knockout: [
    '<ul data-bind="foreach: rows"><li data-bind="text: name"></li></ul><script src="/knockout.js"></script>',
    '<p>Price: <strong data-bind="text: price"></strong></p><script src="/lib/knockout-min.js"></script><script src="/vm.js"></script>',
  ],
  'v-text': [
    '<div id="shop"><span v-text="total"></span></div><script src="/vue.js"></script>',
    '<table id="rates"><tr v-for="r in rates"><td v-html="r.name"></td></tr></table><script src="/vue.global.js"></script>',
  ],
  'a custom element': [
    '<weather-report city="Bangor"></weather-report><script type="module" src="/weather.js"></script>',
    '<opening-hours place="mill"></opening-hours><script>customElements.define("opening-hours", class extends HTMLElement { connectedCallback() { this.innerHTML = "<p>Monday to Friday</p>"; } })</script>',
  ],
  'an island of Astro': [
    '<astro-island uid="1" component-url="/Table.js" client="only"></astro-island><script type="module" src="/hoisted.js"></script>',
    '<astro-island uid="Z1x" prefix="r1" component-url="/_astro/Prices.x.js" renderer-url="/_astro/client.js" client="only" opts="{}"><template data-astro-template>Loading</template></astro-island><script type="module" src="/_astro/a.js"></script>',
  ],
  'load of jQuery': [
    '<div id="timetable"></div><script src="/jquery.js"></script><script>$(function () { $("#timetable").load("/timetable.html"); });</script>',
    '<div class="notes"></div><script src="/jquery-3.min.js"></script><script>jQuery(document).ready(function ($) { $(".notes").load("/fragments/notes.html #all"); });</script>',
  ],
  'rows by XMLHttpRequest': [
    '<table><thead><tr><th>Year</th></tr></thead><tbody id="rows"></tbody></table><script src="/rows.js"></script>',
    '<table id="output"><thead><tr><th>Tons</th></tr></thead><tbody></tbody></table><script>var x = new XMLHttpRequest(); x.onload = function () { document.querySelector("#output tbody").innerHTML = x.responseText; }; x.open("GET", "/rows"); x.send();</script>',
  ],
  'a span by XMLHttpRequest': [
    '<p>In stock: <span id="stock"></span></p><script>var r = new XMLHttpRequest(); r.open("GET", "/stock"); r.onreadystatechange = function () { if (r.readyState === 4) document.getElementById("stock").textContent = r.responseText; }; r.send();</script>',
    '<p>Visitors today: <span id="visitors"></span></p><script>fetch("/visitors").then(r => r.json()).then(({ n }) => { const at = document.getElementById("visitors"); at.innerText = n; });</script>',
  ],
  innerHTML: [
    '<div id="out"></div><script>document.getElementById("out").innerHTML = rows.map(row => `<p>${row}</p>`).join("");</script>',
    '<div class="story"></div><script>(function () { var target = document.querySelector(".story"); var parts = ["The mill", "burnt down"]; target.innerHTML = "<p>" + parts.join(" ") + "</p>"; })();</script>',
  ],
  createElement: [
    '<ul id="names"></ul><script>for (const name of ["Ann", "Ben"]) { const li = document.createElement("li"); li.textContent = name; document.getElementById("names").appendChild(li); }</script>',
    '<div id="board"></div><script>window.addEventListener("DOMContentLoaded", build); function build() { const board = document.getElementById("board"); data.forEach(function (one) { var p = document.createElement("p"); p.append(one.title + ": " + one.text); board.append(p); }); }</script>',
  ],
  'a template': [
    '<div id="cards"></div><template id="card"><article><h2></h2><p>A card of the archive that shows what its record says about it</p></article></template><script>const t = document.getElementById("card"); for (const c of cards) document.getElementById("cards").append(t.content.cloneNode(true));</script>',
    '<template id="story"><p>The whole story of the quarry stands here and only a script puts it on the page for readers</p></template><div id="stage"></div><script>const copy = document.importNode(document.querySelector("#story").content, true); document.querySelector("#stage").appendChild(copy);</script>',
  ],
  'markdown in a script': [
    '<script type="text/markdown" id="source"># The incline\n\nWagons went down the incline on a rope that ran around a drum at its top.</script><div id="page"></div><script src="/marked.js"></script>',
    '<div class="markdown-body"></div><script type="text/x-markdown">## Sheds\n\nIn the long sheds men sat side by side and split the blocks with mallet and chisel.</script><script src="/render.js"></script>',
  ],
  'prices of nothing': [
    '<p>Blue slate: <span class="price">0.00</span> a ton</p><script src="/prices.js"></script>',
    '<p>Ridge tiles <b class="product-price">£0.00</b></p><script src="/shop.js"></script>',
  ],
  'a reload for a cookie': [
    '<script>if (document.cookie.indexOf("seen=1") < 0) { document.cookie = "seen=1; path=/"; location.reload(); }</script>',
    '<script>document.cookie = "check=" + Math.round(42.4); window.location.reload(true);</script>',
  ],
  'location.replace': [
    '<script>location.replace("/new-address");</script>',
    '<script>setTimeout(function () { window.location.replace("https://example.com/moved"); }, 10);</script>',
  ],
  'a redirect on load': [
    '<script>window.onload = function () { window.location.href = "/next"; };</script>',
    '<script>function go() { top.location = "/next"; } window.addEventListener("load", go);</script>',
  ],
  'a late refresh': [
    '<meta http-equiv="refresh" content="3; url=/next">',
    "<META HTTP-EQUIV='Refresh' CONTENT='5;URL=next.html'>",
  ],
  'a part of Vue': [
    '<div id="related-app"></div><script>Vue.createApp(App).mount("#related-app");</script>',
    '<div id="vue-archive"></div><script type="module">import { createApp } from "/vue.js"; createApp({ template: "<p>Archive</p>" }).mount("#vue-archive");</script>',
  ],
  'a part of React': [
    '<div id="figures"></div><script>ReactDOM.createRoot(document.getElementById("figures")).render(React.createElement(Figures));</script>',
    '<div id="react-table"></div><script>ReactDOM.render(h(Table), document.querySelector("#react-table"));</script>',
  ],
  'a part of htmx': [
    '<div hx-get="/comments" hx-trigger="load"></div><script src="/htmx.js"></script>',
    '<section data-hx-get="/letters" data-hx-trigger="load delay:200ms"></section><script src="/htmx.min.js"></script>',
  ],
  AngularJS: [
    '<div ng-app="shop"><p ng-bind="title"></p></div><script src="/angular.js"></script>',
    '<ul ng-app="mill"><li ng-repeat="w in wagons">{{w.name}}</li></ul><script src="/angular.min.js"></script>',
  ],
  'document.write': [
    '<script>document.write("<p>Written by " + author + "</p>");</script>',
    '<script>for (var i = 0; i < lines.length; i++) document.write(lines[i] + "<br>");</script>',
  ],
  'text at a place': [
    '<p id="status"></p><script>function tell() { document.getElementById("status").textContent = "The line is open"; } setTimeout(tell, 300);</script>',
    '<h2 class="headline"></h2><script>document.querySelector(".headline").insertAdjacentHTML("beforeend", "The last train");</script>',
  ],
  'a skeleton': [
    '<div class="skeleton"><div class="skeleton-line"></div></div><script src="/app.js"></script>',
    '<div class="card is-loading"><span class="shimmer"></span></div><script src="/cards.js"></script>',
  ],
  'a spinner': [
    '<div class="list"><div class="spinner"></div></div><script src="/list.js"></script>',
    '<div class="feed"><p>Loading…</p></div><script src="/feed.js"></script>',
  ],
};
