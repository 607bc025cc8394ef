@extends('layout')
@section('title', $product->name)
@section('content')
    <p><a href="/category/{{ $product->category_id }}">{{ $product->category->name }}</a></p>
    <p>{{ $product->description }}</p>
    <p><b>{{ $product->price() }}</b>, {{ $product->stock > 0 ? 'in stock' : 'sold out' }}</p>
    <form method="post" action="/cart">
        <input type="hidden" name="_token" value="{{ csrf_token() }}">
        <input type="hidden" name="product" value="{{ $product->id }}">
        <input type="number" name="quantity" value="1" min="1" max="99">
        <button>Into the cart</button>
    </form>
    <h2>Others like it</h2>
    @include('products', ['products' => $related])
@endsection
