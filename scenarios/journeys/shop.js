// Visitors of a shop: of ten pages three are the start page, three a category, three a product, and one puts it into the cart.
// An iteration is one page, so that a rate is one of requests. Each client has a session and goes its own way.
import exec from 'k6/execution';
import http from 'k6/http';
import { memory, nameEndpoints, request, wrongAnswer } from '../lib/bench.js';

nameEndpoints(['home', 'category', 'product', 'cart']);

const WAY = [
  'home',
  'category',
  'product',
  'home',
  'category',
  'product',
  'cart',
  'home',
  'category',
  'product',
];
const CATEGORIES = 20;
const PRODUCTS = 5000;
// Most visitors look at few products.
const draw = (n) => 1 + Math.floor(n * Math.random() ** 3);

export default function () {
  const visitor = memory();
  visitor.step = ((visitor.step === undefined ? exec.vu.idInTest : visitor.step) + 1) % WAY.length;
  visitor.jar = visitor.jar || new http.CookieJar();
  const { jar } = visitor;
  const page = WAY[visitor.step];
  if (page === 'home') request('home', '/', { jar });
  else if (page === 'category') request('category', `/category/${draw(CATEGORIES)}`, { jar });
  else if (page === 'product') look(visitor);
  // Visitors that start between product and cart have no form yet.
  else if (visitor.form) buy(visitor);
  else look(visitor);
}

function look(visitor) {
  const product = draw(PRODUCTS);
  const response = request('product', `/product/${product}`, { jar: visitor.jar, keep: true });
  if (response.status !== 200) return;
  const token = /name="_token" value="([^"]+)"/.exec(response.body);
  if (token) visitor.form = { _token: token[1], product: String(product), quantity: '1' };
  else wrongAnswer('product', response);
}

function buy({ jar, form }) {
  const body = Object.entries(form)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  request('cart', '/cart', { method: 'POST', body, headers, jar, expect: [200, 302, 303] });
}
