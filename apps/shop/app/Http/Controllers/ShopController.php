<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Models\Category;
use App\Models\Product;
use Illuminate\Contracts\View\View;
use Illuminate\Http\Request;

final class ShopController extends Controller
{
    private const PER_PAGE = 24;

    public function home(): View
    {
        return view('home', [
            'categories' => Category::withCount('products')->orderBy('id')->get(),
            'new' => Product::with('category')->orderByDesc('id')->limit(12)->get(),
            'cheap' => Product::with('category')->orderBy('cents')->orderBy('id')->limit(12)->get(),
        ]);
    }

    public function category(Request $request, Category $category): View
    {
        $sort = $request->query('sort') === 'price' ? 'cents' : 'name';
        $products = $category->products()->with('category')->orderBy($sort)->orderBy('id')->paginate(self::PER_PAGE);
        return view('list', ['title' => $category->name, 'products' => $products]);
    }

    public function search(Request $request): View
    {
        $words = mb_substr((string) $request->query('q', ''), 0, 100);
        $like = '%' . addcslashes($words, '%_\\') . '%';
        $products = Product::with('category')->where('name', 'like', $like)->orderBy('name')->paginate(self::PER_PAGE);
        return view('list', ['title' => "Search: $words", 'products' => $products]);
    }

    public function product(Product $product): View
    {
        $related = Product::with('category')
            ->where('category_id', $product->category_id)
            ->where('id', '>', $product->id)
            ->orderBy('id')
            ->limit(6)
            ->get();
        return view('product', ['product' => $product->load('category'), 'related' => $related]);
    }
}
