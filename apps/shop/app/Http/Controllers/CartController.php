<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Product;
use Illuminate\Contracts\View\View;
use Illuminate\Http\RedirectResponse;
use Illuminate\Http\Request;

/** The cart is in the session: product → quantity. */
final class CartController extends Controller
{
    public function show(Request $request): View
    {
        $quantities = $request->session()->get('cart', []);
        $products = Product::with('category')->findMany(array_keys($quantities));
        return view('cart', ['products' => $products, 'quantities' => $quantities]);
    }

    public function add(Request $request): RedirectResponse
    {
        $data = $request->validate([
            'product' => ['required', 'integer', 'exists:products,id'],
            'quantity' => ['required', 'integer', 'between:1,99'],
        ]);
        $quantities = $request->session()->get('cart', []);
        $quantities[$data['product']] = min(99, ($quantities[$data['product']] ?? 0) + (int) $data['quantity']);
        $request->session()->put('cart', $quantities);
        return redirect('/cart');
    }
}
