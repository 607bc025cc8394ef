<ul>
    @foreach ($products as $product)
        <li>
            <a href="/product/{{ $product->id }}">{{ $product->name }}</a>
            <small>{{ $product->category->name }}</small>
            <b>{{ $product->price() }}</b>
            <p>{{ \Illuminate\Support\Str::limit($product->description, 80) }}</p>
        </li>
    @endforeach
</ul>
